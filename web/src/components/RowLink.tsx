import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/**
 * A link of a row to another state of its own page. The router's `Link` works its target out anew at each change of the
 * URL; with one in each of many rows that is most of what a click waits for. `href` begins with the path.
 */
export function RowLink(props: ComponentProps<'a'> & { href: string }) {
  const { href, ...rest } = props
  const navigate = useNavigate()
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        navigate({ href })
      }}
    />
  )
}
