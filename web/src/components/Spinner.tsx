/** A full-screen spinner for when nothing else can be shown. */
export function Spinner() {
  return (
    <output aria-label="Loading" className="appear-late flex min-h-dvh items-center justify-center">
      <span className="size-8 animate-spin rounded-full border-3 border-hairline border-t-green" />
    </output>
  )
}
