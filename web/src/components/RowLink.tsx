import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/**
 * A link in a table row to another state of the same page. The router's `Link` recomputes its target on every URL change;
 * with one per row, that dominates the cost of a click. `href` starts with the path. Clicking anywhere in the table row
 * follows the link.
 */
export function RowLink(props: ComponentProps<'a'> & { href: string }) {
  const { href, ...rest } = props
  const navigate = useNavigate()
  return (
    <a
      href={href}
      data-opens-row=""
      {...rest}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        navigate({ href })
      }}
    />
  )
}
