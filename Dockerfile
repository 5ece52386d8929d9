# gcg with MPI, for clusters: docker build -t gcg . ; see docs/cluster.md. Without a launcher it is the usual command.
FROM golang:1.26-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libopenmpi-dev pkg-config
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -tags mpi -o /gcg ./cmd/gcg

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends openmpi-bin openssh-server openssh-client ca-certificates \
    && rm -rf /var/lib/apt/lists/* && mkdir -p /run/sshd \
    && sed -i 's/[ #]*StrictHostKeyChecking ask/    StrictHostKeyChecking no/' /etc/ssh/ssh_config
COPY --from=build /gcg /usr/local/bin/gcg
ENTRYPOINT []
CMD ["gcg", "help"]
