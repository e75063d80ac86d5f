import { useEffect, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'

const staysMs = 60_000 // 1 minute

/**
 * Copies a secret that owns money. A page may write to the clipboard only while it has the focus, and cannot know what was
 * copied elsewhere since, so it clears the clipboard itself only if it was never left; otherwise the user is asked to.
 */
export function SecretCopyButton(props: { text: string; what: string }) {
  return <CopyButton text={props.text} what={props.what} wide onCopied={() => remind(props.what)} />
}

let reminder: string | undefined

/** A reminder for each copy, since one that was dismissed a moment ago would take a successor of its id along. */
function remind(what: string): void {
  if (reminder) toast.dismiss(reminder)
  reminder = toast((t) => <Reminder what={what} onDone={() => toast.dismiss(t.id)} />, {
    duration: Number.POSITIVE_INFINITY,
  })
}

function Reminder(props: { what: string; onDone: () => void }) {
  const [failed, setFailed] = useState(false)

  async function clear() {
    try {
      await navigator.clipboard.writeText('')
      props.onDone()
      toast.success('The clipboard is cleared.')
    } catch {
      setFailed(true)
    }
  }

  useUnlessLeft(staysMs, clear)
  return (
    <div>
      <p>
        {failed
          ? `The clipboard could not be cleared. Copy something else over your ${props.what}.`
          : `Your ${props.what} is on the clipboard, where other apps can read it. Clear it once you have pasted it.`}
      </p>
      <Button look="secondary" className="mt-2" onClick={clear}>
        Clear clipboard
      </Button>
    </div>
  )
}

/** Runs `act` after `ms`, unless the user copied something else here, or was in another window since. */
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
  })
}
