import type { Address, Hex } from '#chain/types.ts'
import { addressOfValue, signTransfer, type Transfer, wordsOf } from './account.ts'
import { createPasskey, type OpenedPasskey, openPasskey, PasskeyError } from './passkey.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An account that a passkey has opened, until `close`. The value that opens it leaves this object only as words. */
export class OpenMoney {
  readonly address: Address
  /** The passkey's id. */
  readonly id: Bytes
  /** Whether the passkey is on this device, whose value is the same the next time. */
  readonly isOfDevice: boolean
  /** Whether its provider keeps a copy; otherwise it is on this device only. */
  readonly isSynced: boolean
  readonly #value: Bytes

  private constructor(address: Address, { id, value, isPlatform, isSynced }: OpenedPasskey) {
    this.address = address
    this.id = id
    this.isOfDevice = isPlatform
    this.isSynced = isSynced
    this.#value = value
  }

  /** Opens the account of the passkey with this id, or of one that the person chooses. Call it in a tap. Throws PasskeyError. */
  static async open(rpId: string, id?: Bytes): Promise<OpenMoney> {
    const opened = await openPasskey(rpId, id)
    return new OpenMoney(await addressOfValue(opened.value), opened)
  }

  words(): Promise<string> {
    return wordsOf(this.#value)
  }

  sign(transfer: Transfer): Promise<Hex> {
    return signTransfer(this.#value, transfer)
  }

  close(): void {
    this.#value.fill(0)
  }
}

/** A passkey that was created, before it may receive money. */
export type NewPasskey = {
  id: Bytes
  /** The account of the value at creation; null in browsers that give none then. */
  address: Address | null
}

/** Creates a passkey. Its name is what the password manager shows. Call it in a tap. Throws PasskeyError. */
export async function createMoney(rpId: string, now: Date): Promise<NewPasskey> {
  const day = now.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  const { id, value } = await createPasskey(rpId, `Money, ${day} – deleting this deletes the money`)
  const address = value && (await addressOfValue(value))
  value?.fill(0)
  return { id, address }
}

/**
 * Checks that `opened` may receive money: some devices give another value at creation, or for a phone by QR, and what is
 * sent to its account could not be opened again. `earlier` is the account of the same passkey's value before. Throws PasskeyError.
 */
export function checkCanReceive(opened: Pick<OpenMoney, 'address' | 'isOfDevice'>, earlier: Address | null): void {
  if (!opened.isOfDevice) throw new PasskeyError('notThisDevice')
  if (earlier && opened.address !== earlier) throw new PasskeyError('differs')
}
