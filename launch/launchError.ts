/** Stops the launch with a message that the operator can act on. Contains no secrets. */
export class LaunchError extends Error {
  override name = 'LaunchError'
}
