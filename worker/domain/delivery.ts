/**
 * States of a message after a provider has accepted it. A later state in this list replaces an earlier one: a mail server
 * may accept a message and return it afterwards, and a recipient may mark a delivered one as spam.
 */
export const deliveryStates = ['accepted', 'delivered', 'undelivered', 'bounced', 'complained'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The recipient has probably not read the message. */
export const deliveryFailed = (state: DeliveryState): boolean => state === 'undelivered' || state === 'bounced'
