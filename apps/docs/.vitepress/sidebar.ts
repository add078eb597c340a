import type { DefaultTheme } from 'vitepress'
import { referenceNames } from './pages.ts'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` })
const packageOf = (name: string) => page(name, `packages/${name}`)

export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Introduction',
    items: [
      page('Quickstart', 'start'),
      page('Concepts', 'concepts'),
      page('When not to use it', 'alternatives'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Choose an executor', 'choosing'),
      page('Packages and environments', 'environments'),
      page('Approval', 'approval'),
      page('Approvers', 'approvers'),
      page('Decision ledger', 'ledger'),
      page('Streaming and cancelling', 'streaming'),
      page('Tools for programs', 'host-tools'),
      page('Network and secrets', 'network'),
      page('Agents', 'agents'),
      page('Models', 'models'),
      page('Sandboxes', 'sandboxes'),
      page('Warm Python', 'warm-python'),
      page('Sessions', 'sessions'),
      page('Ports', 'ports'),
      page('A terminal in a web socket', 'examples/web-terminal'),
      page('Web page', 'web-page'),
      page('A page with useChat', 'chat-ui'),
      page('MCP', 'mcp'),
      page('Next.js', 'next'),
      page('Testing without a model', 'testing'),
      page('Executors as data', 'configurations'),
    ],
  },
  {
    text: 'Production',
    items: [
      page('Deploying', 'deploying'),
      page('Checklist', 'production'),
      page('Pools', 'pools'),
      page('Kubernetes', 'kubernetes'),
      page('Observing', 'observing'),
      page('Tracing agents', 'tracing'),
      page('Upgrading', 'upgrading'),
    ],
  },
  page('Troubleshooting', 'troubleshooting'),
  {
    text: 'Migrating',
    items: [
      page('From AutoGen 0.2', 'from-autogen-0.2'),
      page('From AutoGen 0.4', 'from-autogen-0.4'),
      page('From AG2', 'from-ag2'),
      page('Differences', 'differences'),
    ],
  },
  {
    text: 'Extending',
    items: [
      page('Write an executor', 'writing-an-executor'),
      page('A sandbox over ssh', 'examples/ssh-backend'),
      page('A sandbox over an SDK', 'examples/text-backend'),
      page('A sandbox of namespaces', 'examples/namespace-backend'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors and notices', 'errors'),
      page('Messages', 'messages'),
      page('Threat model', 'threat-model'),
      page('Performance', 'performance'),
      page('Where it runs', 'where-it-runs'),
    ],
  },
  {
    text: 'Packages',
    collapsed: true,
    items: [
      'core',
      'markdown',
      'errors',
      'contract',
      'executor-local',
      'executor-docker',
      'executor-kubernetes',
      'executor-jupyter',
      'python-env',
      'agents',
      'ai-sdk',
      'cli',
      'web',
      'sandbox',
      'sandbox-local',
      'sandbox-docker',
      'host',
      'terminal',
      'opentelemetry',
    ].map(packageOf),
  },
  {
    text: 'API',
    collapsed: true,
    items: referenceNames().map((name) => page(name, `reference/${name}`)),
  },
  {
    text: 'Examples',
    collapsed: true,
    items: ['ai-sdk', 'frameworks', 'agents', 'sql-executor'].map((name) => page(name, `examples/${name}`)),
  },
  {
    text: 'Contributing',
    collapsed: true,
    items: [
      page('Commands and layout', 'contributing'),
      page('How we write', 'style'),
      page('Architecture', 'architecture'),
      page('Dependencies', 'dependencies'),
    ],
  },
]
