import { useEffect, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'

const staysMs = 60_000 // 1 minute

/**
 * Copies a secret that controls money. A page can write to the clipboard only while it has the focus, and can't know what
 * has been copied elsewhere since. So it clears the clipboard itself only if the user never left the page; otherwise it
 * asks the user to: here and, once the dialog is closed, in a toast that stays.
 */
export function SecretCopyButton(props: { text: string; what: string }) {
  const [copied, setCopied] = useState(false)
  const onCopied = () => {
    setCopied(true)
    remind(props.what)
  }
  return (
    <>
      <CopyButton text={props.text} what={props.what} wide onCopied={onCopied} />
      {copied && (
        <Button look="quiet" onClick={async () => setCopied(!(await clearClipboard()))}>
          Clear clipboard
        </Button>
      )}
    </>
  )
}

let reminder: string | undefined

/** Creates a new toast for each copy: one that reused the id of a toast just dismissed would be removed with it. */
function remind(what: string): void {
  if (reminder) toast.dismiss(reminder)
  reminder = toast(<Reminder what={what} />, { duration: Number.POSITIVE_INFINITY })
}

async function clearClipboard(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText('')
  } catch {
    toast.error('The clipboard could not be cleared. Copy something else instead.')
    return false
  }
  if (reminder) toast.dismiss(reminder)
  toast.success('The clipboard is cleared.')
  return true
}

function Reminder(props: { what: string }) {
  useUnlessLeft(staysMs, clearClipboard)
  return (
    <div>
      <p>Your {props.what} is on the clipboard, where other apps can read it. Clear it once you have pasted it.</p>
      <Button look="secondary" className="mt-2" onClick={clearClipboard}>
        Clear clipboard
      </Button>
    </div>
  )
}

/** Runs `act` after `ms`, unless the user has copied something else here or left the window since. */
function useUnlessLeft(ms: number, act: () => void): void {
  const [left, setLeft] = useState(false)
  useEffect(() => {
    if (left) return
    const timer = setTimeout(act, ms)
    const leave = () => setLeft(true)
    for (const event of ['blur', 'copy', 'cut']) addEventListener(event, leave)
    return () => {
      clearTimeout(timer)
      for (const event of ['blur', 'copy', 'cut']) removeEventListener(event, leave)
    }
  }, [left, ms, act])
}
