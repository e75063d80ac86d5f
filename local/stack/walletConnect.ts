/** The project id that WalletConnect publishes for use on localhost. A deployment needs its own. */
export const demoProjectId = 'b56e18d47c72ab683b10814fe9495694'

const relay = 'https://relay.walletconnect.org'
const timeoutMs = 1_500 // 1.5 seconds

/**
 * Returns the Worker's variable that enables WalletConnect on this machine: WALLETCONNECT_PROJECT_ID of the environment, or
 * the demo id. Returns none if WalletConnect's relay can't be reached, since connecting would only fail.
 */
export async function walletConnectVariables(
  env: NodeJS.ProcessEnv = process.env,
  relayUrl = relay,
): Promise<Record<string, string>> {
  if (!(await responds(relayUrl))) return {}
  return { WALLETCONNECT_PROJECT_ID: env.WALLETCONNECT_PROJECT_ID || demoProjectId }
}

/** Any reply will do: a relay refuses plain requests. */
const responds = (url: string): Promise<boolean> =>
  fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) }).then(
    () => true,
    () => false,
  )
