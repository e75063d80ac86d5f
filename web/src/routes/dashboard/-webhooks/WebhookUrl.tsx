/** The address of a webhook. If it does not fit in a line, it is broken before its path. */
export function WebhookUrl({ url }: { url: string }) {
  const path = url.indexOf('/', 'https://'.length)
  if (path < 0) return url
  return (
    <>
      {url.slice(0, path)}
      <wbr />
      {url.slice(path)}
    </>
  )
}
