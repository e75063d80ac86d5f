import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/**
 * A link in a table row to another state of the same page. The router's `Link` computes its target again at each change
 * of the URL, which with one in every row takes most of the time of a click. `href` starts with the path. A table's row
 * follows it wherever it is pressed.
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
