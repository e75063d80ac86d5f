/** Set by `npm run test:long screens`: each flow by mouse and by keyboard, each state at every width, and large accounts. */
export const thorough = process.env.SCREENS === 'all'
