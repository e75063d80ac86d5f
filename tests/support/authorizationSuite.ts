/** The MCP conformance suite for authorization servers. */
import { execFile } from 'node:child_process'
import getPort from 'get-port'
import type { BursarClient } from '../../local/client.ts'
import { clientPath } from './clients.ts'

/**
 * Runs all its scenarios. `consent` opens the address as a person's browser does, allows, and follows the redirect. Needs
 * installClients(). Returns the exit code and the report.
 */
export async function runAuthorizationSuite(bursar: BursarClient, consent: (asked: string) => Promise<unknown>) {
  const port = String(await getPort({ host: '127.0.0.1' }))
  const form = { client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }
  const client = await bursar.plain<{ client_id: string }>('/oauth/register', { body: form })
  const [url, resource] = [bursar.url, `${bursar.url}/mcp`]
  const suite = execFile(process.execPath, [
    ...[clientPath('@modelcontextprotocol/conformance/dist/index.js'), 'authorization', '--url', url],
    ...['--client-id', client.client_id, '--port', port, '--resource', resource],
  ])
  let output = ''
  const followed = new Promise<void>((resolve, reject) => {
    suite.stdout!.on('data', (chunk: string) => {
      output += chunk
      const asked = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0]
      if (!asked || !output.includes('Waiting up to')) return
      suite.stdout!.removeAllListeners('data').on('data', (rest: string) => {
        output += rest
      })
      consent(asked).then(() => resolve(), reject)
    })
  })
  suite.stderr!.on('data', (chunk: string) => {
    output += chunk
  })
  const code = new Promise<number | null>((resolve) => suite.on('close', resolve))
  await Promise.race([followed, code])
  return { code: await code, output }
}
