/** Set by `npm run test:long screens`: each flow by mouse and by keyboard, each state at every width, large accounts and locales. */
export const thorough = process.env.SCREENS === 'all'

/** Set by `npm test -- --all` and the long runs: each state at every width. */
export const allTests = process.env.ALL_TESTS === '1' || thorough
