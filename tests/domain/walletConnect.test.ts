import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { demoProjectId, walletConnectVariables } from '../../local/stack/walletConnect.ts'

test('npm run dev offers WalletConnect if its relay is reachable, with the demo project id or your own @wallet-link-24', async () => {
  const relay = createServer((_, response) => response.writeHead(400).end())
  relay.listen(0)
  await once(relay, 'listening')
  const url = `http://localhost:${(relay.address() as AddressInfo).port}`
  expect(await walletConnectVariables({}, url)).toEqual({ WALLETCONNECT_PROJECT_ID: demoProjectId })
  expect(await walletConnectVariables({ WALLETCONNECT_PROJECT_ID: 'mine' }, url)).toEqual({
    WALLETCONNECT_PROJECT_ID: 'mine',
  })
  relay.close()
  await once(relay, 'close')
  expect(await walletConnectVariables({ WALLETCONNECT_PROJECT_ID: 'mine' }, url)).toEqual({})
})
