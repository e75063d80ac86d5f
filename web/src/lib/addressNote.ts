import { addressIn } from '#domain/readers/address.ts'
import { valueIn } from '#domain/readers/read.ts'

/** What is removed from an address as typed; undefined if nothing is. */
export const addressNote = (text: string): string | undefined => valueIn(addressIn(text))?.note ?? undefined
