/** @jsxImportSource preact */
import { isOfferedHere } from '../keptMoney/isOfferedHere.ts'
import { OpenMoney } from '../keptMoney/money.ts'
import { passkeyText } from '../keptMoney/passkeyTexts.ts'

/**
 * The domain whose passkeys open the accounts of recipients; empty if none do. A launch writes it into page.html
 * (launch/pagesConfig.ts), whose own is that of this machine.
 */
const domain = document.querySelector<HTMLMetaElement>('meta[name="passkey-domain"]')!.content

/** Opens an account with its passkey. On other pages, such as a copy on disk, browsers refuse that, so it says where they do not. */
export function PasskeyDoor(props: { disabled: boolean; onOpen: () => void }) {
  if (domain === '') return null
  if (isOfferedHere(domain))
    return (
      <button type="button" class="second" disabled={props.disabled} onClick={props.onOpen}>
        Open with a passkey
      </button>
    )
  return (
    <p class="muted">
      A passkey opens its money only where it was made. To use it, open the recovery page at {domain}.
    </p>
  )
}

/** The 12 words of the account that a passkey opens. Call it in a tap. Throws Error with a message for people. */
export async function wordsOfPasskey(): Promise<string> {
  try {
    const money = await OpenMoney.open(domain)
    try {
      return await money.words()
    } finally {
      money.close()
    }
  } catch (error) {
    throw new Error(passkeyText(error))
  }
}
