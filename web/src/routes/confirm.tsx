import { createFileRoute } from '@tanstack/react-router'
import { ConfirmScreen } from './-account/ConfirmScreen.tsx'

export const Route = createFileRoute('/confirm')({ component: ConfirmScreen })
