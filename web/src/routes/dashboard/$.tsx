import { createFileRoute } from '@tanstack/react-router'

/** All other paths. The shell renders their page (`pages` in -shell/OtherPage.tsx), so that /login loads none of its code. */
export const Route = createFileRoute('/dashboard/$')()
