/**
 * A proxy that speaks HTTP/2 and caches files, as Cloudflare does: over HTTP/1.1, most files of a page would wait for one of
 * six connections, and a local server that compresses each file again takes the CPU on which the page is measured.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Starts a proxy on a free port, with a self-signed certificate. */
export async function startHttp2Proxy(target: string): Promise<{ url: string; stop: () => void }> {
  const cached = new Map<string, { headers: OutgoingHttpHeaders; body: Buffer }>()
  const server = createSecureServer(createCertificate(), (asked, answer) => {
    const file = cached.get(asked.url)
    if (file) {
      answer.writeHead(200, file.headers)
      answer.end(file.body)
      return
    }
    const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !name.startsWith(':')))
    const call = request(target + asked.url, { method: asked.method!, headers }, (reply) => {
      const replied = Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !hopByHop.has(name)))
      answer.writeHead(reply.statusCode!, replied)
      reply.pipe(answer)
      if (reply.statusCode === 200 && reply.headers['cache-control']?.includes('immutable'))
        void buffer(reply).then((body) => cached.set(asked.url, { headers: replied, body }))
    })
    call.on('error', () => answer.stream.close())
    asked.pipe(call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

function createCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-http2-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
    const args = ['req', '-x509', ...kind, '-subj', '/CN=localhost', '-keyout', key, '-out', cert]
    execFileSync('openssl', args, { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
