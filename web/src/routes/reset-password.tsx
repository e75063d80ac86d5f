import { createFileRoute } from '@tanstack/react-router'
import { ResetPasswordScreen } from './-account/ResetPasswordScreen.tsx'

export const Route = createFileRoute('/reset-password')({ component: ResetPasswordScreen })
