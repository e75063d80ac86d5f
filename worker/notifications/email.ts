import { html } from 'hono/html'
import { defused } from './defuse.ts'
import type { Message } from './message.ts'

/**
 * A part of a message. Text and HTML are made from the same parts, so that both say the same. Codes, passwords and link
 * addresses are on their own lines, so that they are easy to copy. Only the address of a `link` is one. Text that may contain
 * users' words is defused.
 */
export type MessagePart =
  | { kind: 'paragraph' | 'unchanged' | 'secret' | 'note'; text: string }
  /** `label` is the button's text; the address is shown below it. */
  | { kind: 'link'; label: string; url: string }

export const paragraph = (text: string): MessagePart => ({ kind: 'paragraph', text })
/** A paragraph that has only our own words, and names to copy. */
export const unchanged = (text: string): MessagePart => ({ kind: 'unchanged', text })
/** A code or a password. */
export const secret = (text: string): MessagePart => ({ kind: 'secret', text })
/** Less important text, in smaller print. */
export const note = (text: string): MessagePart => ({ kind: 'note', text })
export const link = (label: string, url: string): MessagePart => ({ kind: 'link', label, url })

const shownParts = (parts: MessagePart[]): MessagePart[] =>
  parts.map((part) => {
    if (part.kind === 'link') return { ...part, label: defused(part.label) }
    return part.kind === 'secret' || part.kind === 'unchanged' ? part : { ...part, text: defused(part.text) }
  })

const textOf = (parts: MessagePart[], separator: string): string =>
  parts.map((part) => (part.kind === 'link' ? `${part.label}:\n${part.url}` : part.text)).join(separator)

/**
 * A table with inline styles and no images: mail programs drop style sheets, and an image would tell its server who reads
 * the message. All inserted values are escaped.
 */
function emailHtml(subject: string, parts: MessagePart[]): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="format-detection" content="telephone=no,address=no,email=no,date=no,url=no">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background:${colors.paper}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${colors.paper}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td aria-hidden="true" style="padding:0 8px 16px;font:600 17px/24px ${sans};color:${colors.green}">Bursar</td></tr>
<tr><td style="padding:32px 32px 16px;background:${colors.card};border:1px solid ${colors.hairline};border-radius:12px">
${parts.map(renderPart)}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
  return String(document)
}

const sans = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
const mono = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'
/** The same colors as in web/src/styles.css. */
const colors = {
  paper: '#f7f6f2',
  card: '#ffffff',
  sunken: '#efede6',
  ink: '#1b1d1a',
  muted: '#5c6058',
  hairline: '#dfdcd2',
  green: '#1f6f4a',
}

function renderPart(part: MessagePart) {
  switch (part.kind) {
    case 'paragraph':
    case 'unchanged':
      return html`<p style="margin:0 0 16px;font:15px/24px ${sans};color:${colors.ink};overflow-wrap:anywhere">${part.text}</p>
`
    case 'note':
      return html`<p style="margin:0 0 16px;font:13px/20px ${sans};color:${colors.muted};overflow-wrap:anywhere">${part.text}</p>
`
    case 'secret':
      return html`<p style="margin:0 0 16px;padding:16px;background:${colors.sunken};border-radius:8px;text-align:center;font:600 24px/32px ${mono};letter-spacing:2px;color:${colors.ink}">${part.text}</p>
`
    case 'link':
      return html`<p style="margin:0 0 8px"><a href="${part.url}" style="display:inline-block;padding:10px 20px;background:${colors.green};border-radius:8px;font:600 15px/20px ${sans};color:#ffffff;text-decoration:none">${part.label}</a></p>
<p style="margin:0 0 16px;font:13px/20px ${sans};color:${colors.muted};overflow-wrap:anywhere">${part.url}</p>
`
  }
}

type Content = { id: string; to: string; subject: string; payoutId?: string; parts: MessagePart[] }

/** Builds an email with these parts, as text and as HTML. */
export function email({ parts, subject: title, ...rest }: Content): Message {
  const [subject, shown] = [defused(title), shownParts(parts)]
  return { ...rest, channel: 'email', subject, text: textOf(shown, '\n\n'), html: emailHtml(subject, shown) }
}

/** Builds a text message with these parts. */
export const sms = ({ parts, ...rest }: Content): Message => ({
  ...rest,
  channel: 'sms',
  text: textOf(shownParts(parts), '\n'),
})
