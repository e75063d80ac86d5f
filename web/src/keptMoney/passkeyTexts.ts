import { PasskeyError, type PasskeyProblem } from './passkey.ts'

const texts: Record<PasskeyProblem, string> = {
  unsupported: 'This browser can’t keep money. Open this link on your phone in Safari or Chrome.',
  cancelled:
    'Nothing was opened. If your phone asked nothing, this app’s browser can’t keep money: open this link in Safari or Chrome.',
  notThisDevice:
    'This passkey is on another device. Open this link on that device, so that the money can be opened again.',
  differs:
    'Your device gave two different keys, so the money might not be opened again. It was not sent. Try again, or enter an address.',
}

/** Whether another browser would help. */
export const isOfBrowser = (error: unknown): boolean => error instanceof PasskeyError && error.problem !== 'differs'

/** Why opening failed, for people. */
export const passkeyText = (error: unknown): string =>
  error instanceof PasskeyError ? texts[error.problem] : 'This did not work. Try again.'

export const otherPasskey = 'Another passkey opens this money. Choose that one, or use your 12 words in a wallet app.'
