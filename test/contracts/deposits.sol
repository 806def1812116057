// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IDepositToken {
    function transferFrom(address, address, uint256) external returns (bool);
}

/// Takes deposits for accounts as the venue's vault does: by the account's hashes, with a fee in the chain's coin.
contract AccountDeposits {
    struct Data {
        bytes32 accountId;
        bytes32 brokerHash;
        bytes32 tokenHash;
        uint128 tokenAmount;
    }

    event AccountDeposit(bytes32 indexed accountId, address indexed userAddress, bytes32 tokenHash, uint128 tokenAmount);

    uint256 public constant FEE = 0.0003 ether;
    IDepositToken public immutable token;
    bytes32 public immutable brokerHash;

    constructor(IDepositToken accepted, bytes32 broker) {
        token = accepted;
        brokerHash = broker;
    }

    function getDepositFee(address, Data calldata) external pure returns (uint256) {
        return FEE;
    }

    function deposit(Data calldata data) external payable {
        require(msg.value == FEE, "another fee");
        require(data.brokerHash == brokerHash, "another broker");
        require(data.tokenHash == keccak256("USDC"), "another token");
        require(data.accountId == keccak256(abi.encode(msg.sender, brokerHash)), "another account");
        require(token.transferFrom(msg.sender, address(this), data.tokenAmount), "no transfer");
        emit AccountDeposit(data.accountId, msg.sender, data.tokenHash, data.tokenAmount);
    }
}
