/** A name, email or phone number. An email that does not fit in a line is broken before its @. */
export function MaybeEmail({ text }: { text: string }) {
  const at = text.indexOf('@')
  if (at < 1) return text
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  )
}
