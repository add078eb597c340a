// Every file of every package above this one imports this first.
import '@fenced/errors/node-version'
