// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function transferFrom(address, address, uint256) external returns (bool);
}

/// States what arrived. Deployed a second time, it is the vault that nobody configured.
contract Vault {
    event Deposit(
        uint256 indexed depositId,
        address indexed depositor,
        address indexed token,
        uint256 amount,
        address recipient,
        uint256 destinationChainId
    );

    uint256 public nextId = 1;

    function deposit(IToken token, uint256 amount, address recipient, uint256 destinationChainId) public {
        uint256 before = token.balanceOf(address(this));
        require(token.transferFrom(msg.sender, address(this), amount), "no transfer");
        uint256 received = token.balanceOf(address(this)) - before;
        require(received > 0, "nothing arrived");
        emit Deposit(nextId++, msg.sender, address(token), received, recipient, destinationChainId);
    }

    function depositTwice(IToken token, uint256 amount, address recipient, uint256 destinationChainId) external {
        deposit(token, amount, recipient, destinationChainId);
        deposit(token, amount, recipient, destinationChainId);
    }
}

/// States what was asked for, by the symbol of the token, for the account of the sender.
contract AccountVault {
    event AccountDepositTo(
        bytes32 indexed accountId,
        address indexed userAddress,
        uint64 indexed depositNonce,
        bytes32 tokenHash,
        uint128 tokenAmount
    );

    uint64 public nonce;

    function deposit(IToken token, string calldata symbol, uint128 amount) external {
        require(token.transferFrom(msg.sender, address(this), amount), "no transfer");
        bytes32 accountId = keccak256(abi.encode(msg.sender));
        emit AccountDepositTo(accountId, msg.sender, ++nonce, keccak256(bytes(symbol)), amount);
    }
}
