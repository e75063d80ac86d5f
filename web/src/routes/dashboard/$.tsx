import { createFileRoute } from '@tanstack/react-router'

/** Every other path: the shell shows the page (-shell/OtherPage.tsx), so that nothing of it is loaded by /login. */
export const Route = createFileRoute('/dashboard/$')()
