/**
 * MessageCounter: one Durable Object per recipient of messages, under an HMAC of the mailbox or phone number. It counts what new
 * accounts have sent there, which no single Treasury knows.
 */
export interface MessageCounterApi extends Rpc.DurableObjectBranded {
  /** Counts a message of this UTC day (a number of days), unless `max` were counted already. Returns whether it counted it. */
  count(day: number, max: number): Promise<boolean>
  /** Whether `count` would count one now. */
  hasRoom(day: number, max: number): Promise<boolean>
}
