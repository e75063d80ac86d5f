import { useMutation } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { messageOf } from '../../../lib/api.ts'
import { type PauseSubject, setPaused } from '../../../queries/agents.ts'

/** Lets what is paused run again; nothing is lost by it, so nothing is asked. */
export const useResume = () =>
  useMutation({
    mutationFn: (subject: PauseSubject) => setPaused(subject, false),
    onSuccess: (_, { name, kind }) => toast.success(`${sentence(name)} ${kind === 'account' ? 'are' : 'is'} running.`),
    onError: (error, { name }) => toast.error(messageOf(error, `Failed to resume ${name}. Please try again.`)),
  })

/** 'all agents' → 'All agents'. Names keep their letters. */
export const sentence = (text: string) => text.replace(/^all agents$/, 'All agents')
