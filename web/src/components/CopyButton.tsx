import { clsx } from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from './Button.tsx'
import { IconButton } from './IconButton.tsx'

const copiedMs = 2_000 // 2 seconds

/** Copies `text` and confirms it for two seconds. `what` completes the label: 'Copy address'. */
export function CopyButton(props: {
  text: string
  what: string
  /** Shows the label next to the icon. */
  wide?: boolean
  className?: string
  onCopied?: () => void
}) {
  const [copied, setCopied] = useState(false)

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(props.text)
      setCopied(true)
      props.onCopied?.()
    } catch {
      toast.error('Failed to copy to clipboard.')
    }
  }

  const label = copied ? 'Copied' : `Copy ${props.what}`
  const icon = copied ? (
    <Check aria-hidden="true" className="size-4 text-green" />
  ) : (
    <Copy aria-hidden="true" className="size-4" />
  )
  return (
    <>
      {props.wide ? (
        <Button look="secondary" onClick={copy} className={clsx(props.className)}>
          {icon}
          {label}
        </Button>
      ) : (
        <IconButton label={label} onClick={copy} className={clsx(props.className)}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  )
}
