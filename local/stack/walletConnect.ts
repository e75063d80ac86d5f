/** The project id that WalletConnect publishes for use on localhost. A deployment has one of its own. */
export const demoProjectId = 'b56e18d47c72ab683b10814fe9495694'

const relay = 'https://relay.walletconnect.org'
const patienceMs = 1_500 // 1.5 seconds

/**
 * The Worker's variable that offers WalletConnect on this machine: with WALLETCONNECT_PROJECT_ID of the environment, else
 * with the demo id. None where its relay can't be reached, since there it would only fail.
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
  fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(patienceMs) }).then(
    () => true,
    () => false,
  )
