import { ClipboardPaste } from 'lucide-react'
import { Button } from '#web/components/Button.tsx'

/** Pastes text from the clipboard. Renders nothing in browsers that can't read it. */
export function PasteButton(props: { onPaste: (text: string) => void; onRefused: () => void }) {
  if (typeof navigator.clipboard?.readText !== 'function') return null
  return (
    <Button
      look="secondary"
      onClick={() => navigator.clipboard.readText().then((text) => props.onPaste(text.trim()), props.onRefused)}
    >
      <ClipboardPaste aria-hidden="true" className="size-4" />
      Paste
    </Button>
  )
}
