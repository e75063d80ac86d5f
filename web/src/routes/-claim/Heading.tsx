import type { ReactNode } from 'react'

/** The heading of a step. With `focused` it takes the focus, so that a new step is announced and Tab continues from it. */
export const Heading = (props: { children: ReactNode; focused?: boolean }) => (
  <h1 ref={props.focused ? focus : null} tabIndex={-1} className="font-semibold text-title outline-none">
    {props.children}
  </h1>
)

const focus = (element: HTMLElement | null) => element?.focus()
