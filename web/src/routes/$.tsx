import { createFileRoute, redirect } from '@tanstack/react-router'

/** Redirects any other path to `/`. */
export const Route = createFileRoute('/$')({
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true })
  },
})
