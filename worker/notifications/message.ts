import { AppError } from '../errors.ts'

export type Channel = 'email' | 'sms'

/**
 * `id` is stable: sending the same id again does not deliver a second message. `to` is an email address or an E.164 number.
 * Emails have an HTML part with the same content as the text. `payoutId` is the payout whose sender sees the delivery state
 * of the message.
 */
export type Message = {
  id: string
  to: string
  channel: Channel
  subject: string
  text: string
  html?: string
  payoutId?: string
}

/** Sends messages. One file per provider in providers/; messageProvider.ts chooses among them. */
export interface MessageProvider {
  /**
   * Resolves once the provider has accepted the message. Throws `MessageRefused` if it will never accept it for this
   * recipient, otherwise `upstream_unavailable`, after which it is safe to retry.
   */
  send(message: Message): Promise<void>
}

/** The provider refuses this recipient: the address does not exist, or it has bounced or unsubscribed before. */
export class MessageRefused extends AppError {
  override name = 'MessageRefused'

  constructor(channel: Channel, cause: unknown) {
    const what = channel === 'email' ? 'An email to this address' : 'An SMS to this number'
    super('upstream_unavailable', `${what} cannot be delivered. Please check it.`, { cause })
  }
}
