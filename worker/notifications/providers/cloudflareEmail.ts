import { type MessageProvider, MessageRefused } from '../message.ts'
import { unavailable } from './callVendor.ts'

const timeoutMs = 5_000 // 5 seconds

/** Email through Cloudflare's `send_email` binding, which composes the MIME message. It reports no deliveries. */
export const cloudflareEmail = (options: { binding: SendEmail; from: string }): MessageProvider => ({
  async send({ to, subject, text, html }) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The email service did not respond in time.')), timeoutMs)
    })
    const from = { email: options.from, name: 'Bursar' }
    try {
      await Promise.race([
        options.binding.send({ from, to, subject, text, ...(html === undefined ? {} : { html }) }),
        timeout,
      ])
    } catch (error) {
      // The binding's error texts repeat the recipient, so only the code is logged.
      const code = (error as { code?: unknown }).code
      if (code === 'E_RECIPIENT_SUPPRESSED') throw new MessageRefused('email', new Error(`Cloudflare returned ${code}`))
      throw unavailable('email', typeof code === 'string' ? new Error(`Cloudflare returned ${code}`) : error)
    } finally {
      clearTimeout(timer)
    }
  },
})
