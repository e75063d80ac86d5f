/**
 * What is known of a message after a provider took it, in the order in which a later state replaces an earlier one: a
 * mail server may accept a message and return it afterwards, and a recipient may mark a delivered one as spam.
 */
export const deliveryStates = ['accepted', 'delivered', 'undelivered', 'bounced', 'complained'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Does `next` replace `known`? Reports arrive late, twice and out of order. */
export const supersedes = (next: DeliveryState, known: DeliveryState): boolean =>
  deliveryStates.indexOf(next) > deliveryStates.indexOf(known)

/** The recipient has probably not read the message. */
export const deliveryFailed = (state: DeliveryState): boolean => state === 'undelivered' || state === 'bounced'
