/** Set by `npm run test:long screens`: each flow by mouse and by keyboard, each state at every width. */
export const thorough = process.env.SCREENS === 'all'
