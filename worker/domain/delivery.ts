/**
 * States of a message after a provider has accepted it. A later state in this list replaces an earlier one: a mail server
 * may accept a message and return it afterwards, and a recipient may mark a delivered one as spam.
 */
export const deliveryStates = ['accepted', 'delivered', 'undelivered', 'bounced', 'complained'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Whether `next` replaces `known`. Reports may arrive late, repeatedly and out of order. */
export const supersedes = (next: DeliveryState, known: DeliveryState): boolean =>
  deliveryStates.indexOf(next) > deliveryStates.indexOf(known)

/** The recipient has probably not read the message. */
export const deliveryFailed = (state: DeliveryState): boolean => state === 'undelivered' || state === 'bounced'
