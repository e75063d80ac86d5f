import { useMutation } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { messageOf } from '#web/lib/apiError.ts'
import { type PauseSubject, setPaused } from '#web/queries/agents.ts'

/** Resumes something paused. Needs no confirmation, since nothing is lost. */
export const useResume = () =>
  useMutation({
    mutationFn: (subject: PauseSubject) => setPaused(subject, false),
    onSuccess: (_, { name, kind }) =>
      toast.success(`${sentence(name)} ${kind === 'account' ? 'were' : 'was'} resumed.`),
    onError: (error, { name }) => toast.error(messageOf(error, `Failed to resume ${name}. Please try again.`)),
  })

/** 'all agents' → 'All agents', at the start of a sentence. Names keep their case. */
export const sentence = (text: string) => text.replace(/^all agents$/, 'All agents')
