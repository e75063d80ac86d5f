/**
 * A ref for what may vanish while it has the focus, such as the button of something that is done: the page has the
 * focus then, not nothing.
 */
export const keepFocus = (element: HTMLElement | null) => () => {
  if (element !== null && element === document.activeElement)
    document.getElementById('content')?.focus({ preventScroll: true })
}
