import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DeskError } from '../../desk/desk-error'
import { FakeDesk } from '../../desk/fake-desk'
import type { Conversation, Message, Task } from '../../desk/types'
import { choose } from '../../test/choose'
import { renderAt } from '../../test/render'
import { WorkScreen } from './work-screen'

const at = '2026-01-01T00:00:00.000Z'

const task: Task = {
  id: 't-1', projectId: 'site', title: 'Write the release note', description: 'For version 2', assigneeId: 'a', state: 'todo', result: null, summary: '',
  sessionId: '', createdBy: null, createdAt: at, updatedAt: at,
}

const talk: Conversation = { id: 'c-1', projectId: 'site', participants: ['a', 'person'], state: 'active', turns: 1, maxTurns: 20, lastFrom: 'a', createdAt: at, updatedAt: at }

const message: Message = { id: 'm-1', from: 'a', to: 'person', text: 'Which tone?', createdAt: at, deliveredAt: null }

let desk: FakeDesk

beforeEach(() => {
  desk = new FakeDesk()
  desk.agentList = ['scribe', 'painter'].map((name, i) => ({ id: i === 0 ? 'a' : 'b', name, createdAt: at, stoppedUntil: null, role: null, userId: '' }))
  desk.projectList = [{ id: 'site', members: { a: 'worker', b: 'manager' }, createdAt: at, updatedAt: at }]
})

afterEach(() => {
  window.history.replaceState(null, '', '#')
})

const row = async (text: string) => within((await screen.findByText(text)).closest<HTMLElement>('[role=row]') ?? document.body)

describe('the switch of coordination', () => {
  it('is off until a person turns it on', async () => {
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByLabelText('Agents may use these tools'))
    await screen.findByText(/^Agents with a session have the tools/)
    expect(desk.coordinationNow.on).toBe(true)
  })

  it('says that another server has its name', async () => {
    desk.coordinationNow = { on: false, taken: true }
    renderAt(desk, <WorkScreen />)
    await screen.findByText(/^A server of yours has the name coordination/)
    expect(screen.getByLabelText('Agents may use these tools')).toHaveProperty('disabled', true)
  })

  it('says why it cannot be turned', async () => {
    renderAt(desk, <WorkScreen />)
    const box = await screen.findByLabelText('Agents may use these tools')
    desk.failures.set('work', new DeskError({ code: 'unavailable', message: 'x' }))
    fireEvent.click(box)
    await screen.findByText('The desk is closing or busy. Try again.')
  })
})

describe('projects', () => {
  it('are made with their members', async () => {
    desk.projectList = []
    renderAt(desk, <WorkScreen />)
    await screen.findByText('No projects yet')
    fireEvent.click(screen.getByRole('button', { name: 'New project' }))
    const form = within(screen.getByRole('form', { name: 'New project' }))
    await userEvent.type(form.getByLabelText('Name of the project'), 'bad name')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(form.getByLabelText('Name of the project').getAttribute('aria-invalid')).toBe('true')
    })
    await userEvent.clear(form.getByLabelText('Name of the project'))
    await userEvent.type(form.getByLabelText('Name of the project'), 'site')
    await choose(await form.findByRole('combobox', { name: 'Role of scribe in the project' }), 'worker')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await screen.findByRole('button', { name: '1 member' })
    expect(desk.projectList).toMatchObject([{ id: 'site', members: { a: 'worker' } }])
  })

  it('of a name that is there are not replaced unseen', async () => {
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'New project' }))
    const form = within(screen.getByRole('form', { name: 'New project' }))
    await userEvent.type(form.getByLabelText('Name of the project'), 'site')
    await choose(await form.findByRole('combobox', { name: 'Role of painter in the project' }), 'worker')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await form.findByText('This name is taken.')
    expect(desk.projectList).toMatchObject([{ members: { a: 'worker', b: 'manager' } }])
    await userEvent.type(form.getByLabelText('Name of the project'), '-2')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(desk.projectList).toMatchObject([{ id: 'site' }, { id: 'site-2', members: { b: 'worker' } }])
    })
  })

  it('are not put over what another window saved', async () => {
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: '2 members' }))
    const form = within(screen.getByRole('form', { name: 'Members of site' }))
    desk.projectList = [{ id: 'site', members: { a: 'manager' }, createdAt: at, updatedAt: '2026-01-01T00:00:01.000Z' }]
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await form.findByText('Someone else changed this meanwhile.')
    expect(desk.projectList).toMatchObject([{ members: { a: 'manager' } }])
  })

  it('keep a member that is no agent of the desk any more, until a person takes it out', async () => {
    desk.projectList = [{ id: 'site', members: { gone: 'worker' }, createdAt: at, updatedAt: at }]
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: '1 member' }))
    const form = within(screen.getByRole('form', { name: 'Members of site' }))
    await choose(await form.findByRole('combobox', { name: 'Role of painter in the project' }), 'manager')
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await screen.findByRole('button', { name: '2 members' })
    expect(desk.projectList).toMatchObject([{ members: { gone: 'worker', b: 'manager' } }])
  })

  it('are chosen, and the address says which', async () => {
    desk.projectList = [...desk.projectList, { id: 'other', members: {}, createdAt: at, updatedAt: at }]
    desk.taskList = [task]
    renderAt(desk, <WorkScreen />)
    await screen.findByText('Write the release note')
    await choose(screen.getByRole('combobox', { name: 'Project' }), 'other')
    await screen.findByText('No tasks yet.')
    expect(window.location.hash).toBe('#/work?project=other')
    act(() => {
      window.location.hash = '#/work?project=site&task=t-1'
    })
    const marked = (await screen.findByText('Write the release note')).closest('[role=row]')
    expect(marked?.getAttribute('aria-current')).toBe('true')
  })
})

describe('tasks', () => {
  it('are made for an agent, and closed', async () => {
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'New task' }))
    const form = within(screen.getByRole('form', { name: 'New task' }))
    await userEvent.type(form.getByLabelText('What is to be done'), 'Draw a gate')
    await choose(form.getByRole('combobox', { name: 'For whom' }), 'painter')
    fireEvent.click(form.getByRole('button', { name: 'Make the task' }))
    const made = await row('Draw a gate')
    expect(desk.taskList).toMatchObject([{ title: 'Draw a gate', assigneeId: 'b', state: 'todo' }])
    fireEvent.click(made.getByRole('button', { name: 'Details of Draw a gate' }))
    const close = within(made.getByRole('form', { name: 'Close the task' }))
    await choose(close.getByRole('combobox', { name: 'As' }), 'failed')
    await userEvent.type(close.getByLabelText('Summary'), 'no paint')
    fireEvent.click(close.getByRole('button', { name: 'Close the task' }))
    const failed = await row('no paint')
    failed.getByText('Failed')
    expect(desk.taskList).toMatchObject([{ state: 'failed', summary: 'no paint' }])
  })

  it('are written anew, and never over what somebody else wrote meanwhile', async () => {
    desk.taskList = [task]
    renderAt(desk, <WorkScreen />)
    const open = await row('Write the release note')
    fireEvent.click(open.getByRole('button', { name: 'Details of Write the release note' }))
    fireEvent.click(open.getByRole('button', { name: 'Edit the task' }))
    const form = within(open.getByRole('form', { name: 'Edit the task' }))
    expect(form.getByLabelText('Description')).toHaveProperty('value', 'For version 2')
    await userEvent.type(form.getByLabelText('What is to be done'), ' again')
    desk.taskList = [{ ...task, description: 'For version 3', updatedAt: '2026-01-01T00:00:01.000Z' }]
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await form.findByText('Someone else changed this meanwhile.')
    expect(form.getByLabelText('What is to be done')).toHaveProperty('value', 'Write the release note again')
    fireEvent.click(form.getByRole('button', { name: 'Cancel' }))
    fireEvent.click(open.getByRole('button', { name: 'Edit the task' }))
    const anew = within(open.getByRole('form', { name: 'Edit the task' }))
    await userEvent.type(anew.getByLabelText('Description'), ', soon')
    fireEvent.click(anew.getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(desk.taskList).toMatchObject([{ title: 'Write the release note', description: 'For version 3, soon' }])
    })
  })

  it('that failed are done again by another agent', async () => {
    desk.taskList = [{ ...task, state: 'failed', result: 'failed' }]
    renderAt(desk, <WorkScreen />)
    const failed = await row('Write the release note')
    fireEvent.click(failed.getByRole('button', { name: 'Details of Write the release note' }))
    expect(failed.queryByRole('form')).toBeNull()
    await choose(failed.getByRole('combobox', { name: 'For whom' }), 'painter')
    fireEvent.click(failed.getByRole('button', { name: 'Have it done again' }))
    await waitFor(() => {
      expect(desk.taskList).toMatchObject([{ assigneeId: 'b', state: 'todo' }])
    })
  })

  it('stand by state, what waits for a person first, and change with events', async () => {
    desk.taskList = [{ ...task, id: 'd', title: 'old', state: 'done' }, { ...task, state: 'in_progress', sessionId: 's 1' }, { ...task, id: 'r', title: 'asks', state: 'review' }]
    renderAt(desk, <WorkScreen />)
    await screen.findByText('asks')
    const grid = screen.getByRole('treegrid', { name: 'Tasks' })
    const texts = () => within(grid).getAllByRole('row').map((r) => r.textContent)
    expect(texts().map((text) => /^(A call waits|In progress|Done|.*asks|.*release note|.*old)/.exec(text)?.[1]?.slice(-12))).toHaveLength(6)
    expect(texts()[0]).toContain('A call waits for you')
    expect(texts().at(-1)).toContain('old')
    expect(screen.getByRole('link', { name: 'The calls for Write the release note' }).getAttribute('href')).toBe('#/activity?q=s%201')
    desk.taskList = [{ ...task, state: 'done', summary: 'all said' }]
    act(() => {
      desk.hint('tasks.changed')
    })
    await screen.findByText('all said')
    expect(screen.queryByText('asks')).toBeNull()
  })
})

describe('conversations', () => {
  it('are read and answered, a message whose answer is lost as the same', async () => {
    desk.talkList = [{ conversation: talk, messages: [message] }]
    renderAt(desk, <WorkScreen />)
    await screen.findByText('Waiting for your answer')
    fireEvent.click(screen.getByRole('button', { name: 'Read the conversation scribe – you' }))
    await screen.findByText('Which tone?')
    const form = within(screen.getByRole('form', { name: 'Your answer' }))
    await userEvent.type(form.getByLabelText('Message'), 'Plain')
    desk.failures.set('work', new DeskError({ code: 'unreachable', message: 'x' }))
    fireEvent.click(form.getByRole('button', { name: 'Send' }))
    await form.findByText(/^The desk does not answer/)
    desk.failures.delete('work')
    fireEvent.click(form.getByRole('button', { name: 'Send' }))
    await screen.findByText('Plain')
    await waitFor(() => {
      expect(form.getByLabelText('Message')).toHaveProperty('value', '')
    })
    expect(desk.talkList[0]?.messages.map(({ text }) => text)).toEqual(['Which tone?', 'Plain'])
    await screen.findByText('not delivered yet')
  })

  it('have another key once they are edited, and keep what is written while one is sent', async () => {
    desk.talkList = [{ conversation: talk, messages: [message] }]
    const rows = await desk.work()
    const keys: [string, string][] = []
    const sends: (() => void)[] = []
    const say = (_: string, __: string, text: string, key: string) => {
      keys.push([text, key])
      if (keys.length < 3) return Promise.reject(new DeskError({ code: 'unreachable', message: 'x' }))
      return new Promise<void>((done) => sends.push(done))
    }
    desk.work = () => Promise.resolve({ ...rows, say })
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Read the conversation scribe – you' }))
    const form = within(await screen.findByRole('form', { name: 'Your answer' }))
    const field = form.getByLabelText('Message')
    const send = async (text: string) => {
      const before = keys.length
      fireEvent.change(field, { target: { value: text } })
      await waitFor(() => {
        expect(form.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', false)
      })
      fireEvent.click(form.getByRole('button', { name: 'Send' }))
      await waitFor(() => {
        expect(keys).toHaveLength(before + 1)
      })
    }
    await send('Plain')
    await send('Plain')
    await send('Plain, please')
    expect(keys[1]).toEqual(keys[0])
    expect(keys[2]?.[1]).not.toBe(keys[0]?.[1])
    expect(keys[0]?.[1]).toMatch(/^[0-9a-f]{32}$/)
    fireEvent.change(field, { target: { value: 'And one more' } })
    sends.forEach((done) => {
      done()
    })
    await waitFor(() => {
      expect(form.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', false)
    })
    expect(field).toHaveProperty('value', 'And one more')
  })

  it('of two agents are read, and ended; the person does not speak in them', async () => {
    desk.talkList = [{ conversation: { ...talk, participants: ['a', 'b'] }, messages: [{ ...message, to: 'b' }] }]
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Read the conversation scribe – painter' }))
    await screen.findByText('Which tone?')
    expect(screen.queryByRole('form')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'End the conversation scribe – painter' }))
    const remove = await screen.findByRole('button', { name: 'Delete the conversation scribe – painter' })
    await waitFor(() => {
      expect(remove.getAttribute('aria-disabled')).toBe('false') // that it has ended may be heard before the answer
    })
    fireEvent.click(remove)
    await screen.findByText('No conversations yet.')
  })

  it('are begun by the person', async () => {
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'New conversation' }))
    const form = within(screen.getByRole('form', { name: 'New conversation' }))
    await choose(form.getByRole('combobox', { name: 'With' }), 'painter')
    await userEvent.type(form.getByLabelText('Message'), 'How far are you?')
    fireEvent.click(form.getByRole('button', { name: 'Send' }))
    await screen.findByRole('button', { name: 'Read the conversation you – painter' })
    expect(desk.talkList[0]?.messages).toMatchObject([{ from: 'person', to: 'b', text: 'How far are you?' }])
  })

  it('quote what agents say, and never as the person’s own words', async () => {
    desk.talkList = [{ conversation: talk, messages: [{ ...message, text: 'you: yes, delete it' }] }]
    renderAt(desk, <WorkScreen />)
    fireEvent.click(await screen.findByRole('button', { name: 'Read the conversation scribe – you' }))
    const said = await screen.findByText('you: yes, delete it')
    expect(said.closest('blockquote')).not.toBeNull()
    expect(said.closest('li')?.getAttribute('data-own')).toBe('false')
  })
})
