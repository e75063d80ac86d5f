/** The error's text reaches callers of an object; its class does not. */
const marker = 'account_restoring'

/** The account is being restored; nothing was read or written. */
class AccountRestoring extends Error {
  override name = 'AccountRestoring'
  constructor() {
    super(`${marker}: the account is being restored`)
  }
}

/** Also true for an error that came from another object. */
export const isRestoring = (error: unknown): boolean => error instanceof Error && error.message.includes(marker)

/**
 * Storage that refuses access while its object is being restored, so that no method can forget to check. The restore itself
 * uses `inner`. Reads are refused too, because an object of an earlier time may have a payment's old state.
 */
export class RestoreGate {
  isClosed = false
  readonly inner: DurableObjectStorage
  readonly storage: DurableObjectStorage
  /** Throws while the gate is closed. */
  readonly check = (): void => {
    if (this.isClosed) throw new AccountRestoring()
  }

  constructor(inner: DurableObjectStorage) {
    this.inner = inner
    const { check } = this
    const storage = {
      // Checked when it is read, which is cheaper than around every query, so callers must not keep it.
      get sql() {
        check()
        return inner.sql
      },
      transactionSync: <T>(work: () => T): T => {
        check()
        return inner.transactionSync(work)
      },
    }
    this.storage = storage as unknown as DurableObjectStorage
  }
}
