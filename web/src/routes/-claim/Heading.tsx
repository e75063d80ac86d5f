import type { ReactNode } from 'react'

/** The heading of a step. A step that follows another takes the focus, so that it is read out and Tab goes on from it. */
export const Heading = (props: { children: ReactNode; focused?: boolean }) => (
  <h1 ref={props.focused ? focus : null} tabIndex={-1} className="font-semibold text-title outline-none">
    {props.children}
  </h1>
)

const focus = (element: HTMLElement | null) => element?.focus()
