/** Stops the launch with words for the operator, who can do something about it. Holds no secret. */
export class LaunchError extends Error {
  override name = 'LaunchError'
}
