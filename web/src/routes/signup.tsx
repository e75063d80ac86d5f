import { createFileRoute } from '@tanstack/react-router'
import { SignupScreen } from './-account/SignupScreen.tsx'

export const Route = createFileRoute('/signup')({ component: SignupScreen })
