// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IMintable {
    function mint(address, uint256) external;
}

/// Pays each deposit once, for as long as the voucher says, on the word of one signer.
contract Redeemer {
    struct RedemptionVoucher {
        uint256 sourceChainId;
        address sourceVault;
        uint256 depositId;
        address recipient;
        address token;
        uint256 amount;
        uint256 validUntil;
    }

    event Redeemed(bytes32 indexed depositKey, address indexed recipient, uint256 amount);

    bytes32 public constant TYPE_HASH = keccak256(
        "RedemptionVoucher(uint256 sourceChainId,address sourceVault,uint256 depositId,address recipient,address token,uint256 amount,uint256 validUntil)"
    );
    bytes32 private constant DOMAIN_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    address public immutable signer;
    mapping(bytes32 => bool) public redeemed;

    constructor(address signer_) {
        signer = signer_;
    }

    function depositKey(RedemptionVoucher calldata voucher) public pure returns (bytes32) {
        return keccak256(abi.encode(voucher.sourceChainId, voucher.sourceVault, voucher.depositId));
    }

    function digest(RedemptionVoucher calldata voucher) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_HASH, keccak256("Redemption Voucher"), keccak256("1"), block.chainid, address(this))
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(TYPE_HASH, voucher))));
    }

    function redeem(RedemptionVoucher calldata voucher, bytes calldata signature) external {
        bytes32 key = depositKey(voucher);
        require(!redeemed[key], "already redeemed");
        require(block.timestamp <= voucher.validUntil, "expired");
        require(recover(digest(voucher), signature) == signer, "wrong signer");
        redeemed[key] = true;
        IMintable(voucher.token).mint(voucher.recipient, voucher.amount);
        emit Redeemed(key, voucher.recipient, voucher.amount);
    }

    function recover(bytes32 hash, bytes calldata signature) private pure returns (address) {
        require(signature.length == 65, "signature length");
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        require(v == 27 || v == 28, "signature v");
        require(uint256(s) <= HALF_ORDER, "signature s");
        address found = ecrecover(hash, v, r, s);
        require(found != address(0), "signature");
        return found;
    }
}
