import { expect, test } from 'vitest'
import { demoProjectId, walletConnectVariables } from '../../local/stack/walletConnect.ts'
import { serve } from '../../local/standIns/server.ts'

test('npm run dev offers WalletConnect if its relay is reachable, with the demo project id or your own @wallet-link-24', async () => {
  const { url, stop } = await serve((_, response) => response.writeHead(400).end())
  expect(await walletConnectVariables({}, url)).toEqual({ WALLETCONNECT_PROJECT_ID: demoProjectId })
  expect(await walletConnectVariables({ WALLETCONNECT_PROJECT_ID: 'mine' }, url)).toEqual({
    WALLETCONNECT_PROJECT_ID: 'mine',
  })
  await stop()
  expect(await walletConnectVariables({ WALLETCONNECT_PROJECT_ID: 'mine' }, url)).toEqual({})
})
